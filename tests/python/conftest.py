"""The planner's verifiers stand between every two passes in all tests."""

import os

os.environ.setdefault("NUMLOOM_VERIFY", "1")
