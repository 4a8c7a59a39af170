"""The names and types of numpy.random."""

from numpy.random import *
