"""`python -m peer` is the command `whitby`, for where that is not on the path."""

import sys

from peer.cli import main

sys.exit(main())
