"""Mental poker between two sides, as a library: cards, keys, proofs and a signed record."""
