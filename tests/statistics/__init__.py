"""Honest play, very often: it never fails a check, and chance is as fair as it is said to be.

    python -m tests.statistics [--games N] [--shuffles N] [--orders N]

Everything is drawn from the system's own randomness there, anew in each run.  The tests beside
this do less of it, with fixed randomness, so that they give the same in every run.
"""
