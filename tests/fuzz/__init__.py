"""Random programs on aliased views, run under NumPy and under the module under test, and compared."""
