"""The names and types of numpy.fft."""

from numpy.fft import *
