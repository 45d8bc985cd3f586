"""Complete small programs that `spec/` explains, and that are tested."""
