"""What all Python tests need: the planner's verifiers between every two passes, and interrupts that arrive."""

import os
import signal

os.environ.setdefault("NUMLOOM_VERIFY", "1")

# A shell that starts the tests in the background lets them ignore SIGINT, and so would the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
