"""Fuzzing: bytes that nobody made, for everything that reads bytes.

    python -m tests.fuzz TARGET [--seconds S]      (coverage-guided, by atheris; the extra "fuzz")
    python -m tests.fuzz TARGET --plain            (without atheris: changes at random)
    python -m tests.fuzz                           (names the targets and what each promises)

The inputs to start from are made of honest games, see `targets`; none are kept in files.  What
breaks a promise is written to a file, whose name is printed: `python -m tests.fuzz TARGET FILE`
runs it again.
"""
