"""The cases, a module for each part of the protocol."""
