"""Commands that print figures.  They hold nothing and fail at nothing: times are no tests."""
