"""The conformance suite: plays against any peer over TCP, and says which MUST it breaks.

`python -m tests.conformance --help` says how it is run, `spec/conformance.md` what it asks of the
peer under test.  It is built from the library's own parts and needs no more than the program does.

    line        one end of a line, driven by hand
    subject     ways to the peer under test: it hosts, or it joins
    bench       what a case is given: lines, games, bystanders
    player      the suite's side of a game: honest until a case departs
    forging     entries and proofs that nobody honest would make
    case        what a case is, and the register of all
    cases/      the cases, a module for each part of `spec/protocol.md`
    runner      runs them, some at once
    report      says how they went
"""
