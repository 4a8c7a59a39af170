"""The operations that random programs are made of, and how exact each must be.

The rows are written by hand, not taken from the engine's table: a fault in that table must not hide itself here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """One elementwise operation.

    Attributes
    ----------
    name : str
        NumPy's name.
    arity : int
    kinds : str
        Kinds of dtype (``numpy.dtype.kind``) that its operands may have.
    operator : str or None
        Python's operator.
    inexact : str
        Kinds for which the result is not exactly prescribed.
    rule : str
        The rule for these kinds (see bounds.py).
    result : {'same', 'bool', 'float', 'real'}
        What dtype comes out: decides where the result can go in place.
    namespace : {'np', 'special'}
    zero_sign : bool
        The sign of a zero result depends on NumPy's vector width when zeros of both signs meet.
    """

    name: str
    arity: int
    kinds: str
    operator: str | None = None
    inexact: str = ""
    rule: str = "ulp"
    result: str = "same"
    namespace: str = "np"
    zero_sign: bool = False


O = Operation  # noqa: E741 (a table reads better with a short name)

ENGINE = [
    O("add", 2, "biufc", "+"),
    O("subtract", 2, "iufc", "-"),
    O("multiply", 2, "biufc", "*", "c", "complex"),
    O("divide", 2, "biufc", "/", "c", "complex", result="float"),
    O("negative", 1, "iufc", "-"),
    O("absolute", 1, "biufc", "abs", "c", "complex", result="real"),
    O("square", 1, "iufc", None, "c", "complex"),
    O("conjugate", 1, "iufc"),
    O("minimum", 2, "biufc", zero_sign=True),
    O("maximum", 2, "biufc", zero_sign=True),
    O("floor_divide", 2, "iuf", "//"),
    O("remainder", 2, "iuf", "%"),
    O("power", 2, "iuf", "**", "f", "power"),
    O("sign", 1, "iuf"),
    O("equal", 2, "biufc", "==", result="bool"),
    O("not_equal", 2, "biufc", "!=", result="bool"),
    O("less", 2, "biufc", "<", result="bool"),
    O("less_equal", 2, "biufc", "<=", result="bool"),
    O("greater", 2, "biufc", ">", result="bool"),
    O("greater_equal", 2, "biufc", ">=", result="bool"),
    O("logical_and", 2, "biufc", result="bool"),
    O("logical_or", 2, "biufc", result="bool"),
    O("logical_xor", 2, "biufc", result="bool"),
    O("logical_not", 1, "biufc", result="bool"),
    O("bitwise_and", 2, "biu", "&"),
    O("bitwise_or", 2, "biu", "|"),
    O("bitwise_xor", 2, "biu", "^"),
    O("invert", 1, "biu", "~"),
    O("left_shift", 2, "iu", "<<"),
    O("right_shift", 2, "iu", ">>"),
    O("sqrt", 1, "biufc", None, "c", "complex", result="float"),
    O("exp", 1, "biufc", None, "biufc", result="float"),
    O("log", 1, "biufc", None, "biufc", result="float"),
    O("sin", 1, "biufc", None, "biufc", result="float"),
    O("cos", 1, "biufc", None, "biufc", result="float"),
    O("tanh", 1, "biufc", None, "biufc", result="float"),
    O("erf", 1, "f", None, "f", result="float", namespace="special"),
    O("isnan", 1, "biufc", result="bool"),
    O("isfinite", 1, "biufc", result="bool"),
    O("floor", 1, "biuf"),
    O("ceil", 1, "biuf"),
]

FURTHER = [
    O("fmin", 2, "biuf", zero_sign=True),
    O("fmax", 2, "biuf", zero_sign=True),
    O("fmod", 2, "iuf"),
    O("fabs", 1, "biuf", result="float"),
    O("positive", 1, "iufc", "+"),
    O("reciprocal", 1, "fc", None, "c", "complex"),
    O("trunc", 1, "biuf"),
    O("rint", 1, "biuf", result="float"),
    O("isinf", 1, "biufc", result="bool"),
    O("exp2", 1, "f", None, "f", result="float"),
    O("expm1", 1, "f", None, "f", result="float"),
    O("log2", 1, "f", None, "f", result="float"),
    O("log10", 1, "f", None, "f", result="float"),
    O("log1p", 1, "f", None, "f", result="float"),
    O("tan", 1, "f", None, "f", result="float"),
    O("arcsin", 1, "f", None, "f", result="float"),
    O("arctan", 1, "f", None, "f", result="float"),
    O("sinh", 1, "f", None, "f", result="float"),
    O("cosh", 1, "f", None, "f", result="float"),
    O("arcsinh", 1, "f", None, "f", result="float"),
    O("cbrt", 1, "f", None, "f", result="float"),
    O("arctan2", 2, "f", None, "f", result="float"),
    O("hypot", 2, "f", None, "f", result="float"),
    O("heaviside", 2, "f", result="float"),
    O("gcd", 2, "iu"),
]


@dataclass(frozen=True)
class Reduction:
    """One reduction: the name of its method, the kinds it takes, and its rule where rounding can enter."""

    name: str
    kinds: str
    rule: str = ""
    has_out: bool = True
    axes: bool = True


REDUCTIONS = [
    Reduction("sum", "biufc", "sum"),
    Reduction("prod", "biufc", "prod"),
    Reduction("min", "biufc", "extremum"),
    Reduction("max", "biufc", "extremum"),
    Reduction("mean", "biufc", "mean"),
    Reduction("std", "biufc", "std"),
    Reduction("var", "biufc", "var"),
    Reduction("any", "biufc"),
    Reduction("all", "biufc"),
]

FURTHER_REDUCTIONS = [
    Reduction("argmin", "biuf", axes=False),
    Reduction("argmax", "biuf", axes=False),
    Reduction("ptp", "iu"),
    Reduction("count_nonzero", "biufc", has_out=False),
]

PLAIN_DTYPES = ["bool", "int32", "int64", "float32", "float64", "complex128"]
ALL_DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
