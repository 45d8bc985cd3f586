"""What the commands do.  `peer.cli` says how they are typed."""
