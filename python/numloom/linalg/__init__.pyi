"""The names and types of numpy.linalg."""

from numpy.linalg import *
