"""Calls of NumPy's random methods, generated: name, arguments and keywords as texts of numbers, lists and arrays."""

import random

import numpy

# name -> a text for each parameter's kind; what a kind may be is in VALUES.
CONTINUOUS = {
    "beta": ("positive", "positive"),
    "exponential": ("scale",),
    "gamma": ("scale", "scale"),
    "f": ("positive", "positive"),
    "noncentral_f": ("positive", "positive", "scale"),
    "chisquare": ("positive",),
    "noncentral_chisquare": ("positive", "scale"),
    "standard_t": ("positive",),
    "standard_gamma": ("scale",),
    "vonmises": ("real", "scale"),
    "pareto": ("positive",),
    "weibull": ("scale",),
    "power": ("positive",),
    "laplace": ("real", "scale"),
    "gumbel": ("real", "scale"),
    "logistic": ("real", "scale"),
    "lognormal": ("real", "scale"),
    "normal": ("real", "scale"),
    "rayleigh": ("scale",),
    "wald": ("positive", "positive"),
    "uniform": ("low", "high"),
    "triangular": ("low", "middle", "high"),
    "standard_cauchy": (),
    "standard_normal": (),
    "standard_exponential": (),
    "random": (),
    "poisson": ("lam",),
    "zipf": ("above one",),
    "geometric": ("p",),
    "logseries": ("p below one",),
    "binomial": ("n", "p"),
    "negative_binomial": ("positive", "p"),
    "hypergeometric": ("many", "many", "few"),
}
LEGACY_ONLY = ("rand", "randn", "random_sample", "tomaxint")
VALUES = {
    "positive": (0.3, 1.0, 2.5, 7, 40.0),
    "scale": (0.0, 0.4, 1, 1.0, 3.5),
    "real": (-2.0, 0, 1.5),
    "low": (-3.0, -1, 0.0),
    "middle": (0.0, 0.5, 1),
    "high": (1, 2.5, 4.0),
    "lam": (0, 0.7, 9.5, 10.0, 300.0),
    "above one": (1.5, 3, 10.0),
    "p": (0.02, 0.3, 0.5, 0.9, 1.0),
    "p below one": (0.0, 0.3, 0.95),
    "n": (0, 1, 7, 100, 100_000),
    "many": (15, 30, 900),
    "few": (1, 5, 11, 25),
}
SIZES = (None, 0, 1, 5, (3,), (2, 3), (2, 0), [4], (), 700)
DTYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?")


def parameters(draw, kinds, module):
    """Scalars, lists and arrays for the kinds, and the shape that they broadcast to."""
    values, shapes = [], []
    for kind in kinds:
        one = draw.choice(VALUES[kind])
        how = draw.randrange(6)
        if how < 3:
            values.append(one)
        elif how == 3:
            values.append(draw.choice((numpy.float64, numpy.float32))(one) if type(one) is float else numpy.int32(one))
        else:
            shape = draw.choice(((4,), (3, 1), (3, 4), (1,)))
            drawn = [draw.choice(VALUES[kind]) for _ in range(int(numpy.prod(shape)))]
            whole = kind in ("n", "many", "few")
            made = numpy.array(drawn, dtype=int if whole else float).reshape(shape)
            shapes.append(shape)
            values.append(made.tolist() if how == 4 and len(shape) == 1 else module.array(made))
    return values, numpy.broadcast_shapes(*shapes) if shapes else None


def number_call(draw, module, legacy):
    name = draw.choice([*CONTINUOUS, *LEGACY_ONLY] if legacy else list(CONTINUOUS))
    if name in ("rand", "randn"):
        return name, [draw.randrange(5) for _ in range(draw.randrange(3))], {}
    values, shape = parameters(draw, CONTINUOUS.get(name, ()), module)
    keywords = {}
    if not legacy and name in ("random", "standard_normal", "standard_exponential", "standard_gamma"):
        keywords["dtype"] = draw.choice(("f8", "f4", numpy.float32, float))
        if name == "standard_exponential":
            keywords["method"] = draw.choice(("zig", "inv"))
    if shape is None:
        keywords["size"] = draw.choice(SIZES)
    elif draw.randrange(2):
        keywords["size"] = (2, *shape)
    return name, values, keywords


def integer_call(draw, module, legacy):
    dtype = draw.choice(DTYPES)
    info = numpy.iinfo(dtype) if dtype != "?" else None
    low, most = (0, 2) if info is None else (int(info.min), int(info.max) + 1)
    kind = draw.randrange(4)
    if kind == 0:
        bounds = [low, most]
    elif kind == 1:
        among = range(low, most) if most - low < 2**20 else sorted({low, 0, 1, 99, most - 1})
        bounds = sorted(draw.sample(among, 2))
    elif kind == 2:
        bounds = [draw.randrange(1, min(most, 100))]
    else:
        bounds = [0, module.array([draw.randrange(1, min(most, 100)) for _ in range(5)])]
    keywords = {
        "dtype": dtype,
        "size": draw.choice((None, 3, (2, 5), 100)) if kind < 3 else draw.choice((None, (2, 5))),
    }
    if not legacy and kind == 1:
        keywords["endpoint"] = draw.choice((True, False))
    return "randint" if legacy else "integers", bounds, keywords


def order_call(draw, module, legacy):
    n = draw.choice((1, 2, 7, 40))
    kind = draw.randrange(5)
    if kind == 0:
        return "permutation", [draw.choice((n, module.arange(n) * 2, module.ones((n, 2)).cumsum(0)))], {}
    population = draw.choice((n, module.arange(n) + 0.5, [3, 1, 2] * n, 10_500))
    elements = population if type(population) is int else len(population)
    if kind == 1:
        return "choice", [population, draw.choice((None, 3, (2, 4), ()))], {}
    if kind == 2:
        p = [(i % 4 + 1.0) for i in range(elements)]
        return "choice", [population, draw.choice((None, 3, (2, 4)))], {"p": [x / sum(p) for x in p]}
    if kind == 3:
        size = draw.randrange(1, elements + 1)
        more = {} if legacy else {"shuffle": draw.choice((True, False))}
        return "choice", [population, size], {"replace": False, **more}
    p = [(i % 4 + 1.0) for i in range(elements)]
    return "choice", [population, min(elements, 5)], {"p": [x / sum(p) for x in p], "replace": False}


def row_call(draw, module, legacy):
    p = draw.choice(([0.2, 0.3, 0.5], [1.0], [0.5, 0.0, 0.5], [0.1] * 10))
    kind = draw.randrange(4 if not legacy else 2)
    size = draw.choice((None, 4, (2, 3)))
    if kind == 0:
        return "multinomial", [draw.choice((0, 5, 1000)), draw.choice((p, module.array(p)))], {"size": size}
    if kind == 1:
        alpha = draw.choice(([1.0, 2, 3], [0.5], [0.01, 0.02, 0.03] if not legacy else [0.3, 4.0]))
        return "dirichlet", [draw.choice((alpha, module.array(alpha)))], {"size": size}
    if kind == 2:
        n = draw.choice(([[3], [20]], [[0], [5], [9]], numpy.zeros((0, 1), int), 4))
        return "multinomial", [module.array(n), module.array([p, p])], {}
    method = draw.choice(("count", "marginals"))
    return "multivariate_hypergeometric", [[5, 20, 7], draw.choice((3, 16, 30))], {"size": size, "method": method}


KINDS = (number_call, number_call, number_call, integer_call, integer_call, order_call, row_call)


def calls(seed, n, module, legacy):
    """n calls; the same for the same seed, with arrays of `module`."""
    draw = random.Random(seed)
    return [draw.choice(KINDS)(draw, module, legacy) for _ in range(n)]


# Arguments that NumPy refuses.
REFUSED = [
    ("normal", [0, -1], {}),
    ("normal", [0, -1.0], {"size": 3}),
    ("normal", [0, -0.0], {}),
    ("normal", [0, [1.0, -1.0]], {}),
    ("normal", [[1, 2], [1, 2, 3]], {}),
    ("normal", ["x"], {}),
    ("normal", [1j], {}),
    ("normal", [0, 1, (2, -1)], {}),
    ("normal", [0, 1, -3], {}),
    ("normal", [0, 1, 2.5], {}),
    ("normal", [0, 1, "ab"], {}),
    ("normal", [[0, 1, 2], 1, (2, 2)], {}),
    ("normal", [0, 1, 2, 3], {}),
    ("normal", [], {"mean": 3}),
    ("beta", [1], {}),
    ("beta", [0, 1], {}),
    ("beta", [1, [2, 0]], {}),
    ("exponential", [-1], {}),
    ("gamma", [-1.0], {}),
    ("poisson", [-1], {}),
    ("poisson", [float("nan")], {}),
    ("poisson", [1e20], {}),
    ("zipf", [1], {}),
    ("geometric", [0], {}),
    ("geometric", [1.5], {}),
    ("geometric", [[0.5, 0.0]], {}),
    ("logseries", [1.0], {}),
    ("binomial", [-1, 0.5], {}),
    ("binomial", [5, 1.5], {}),
    ("binomial", [5.5, 0.5], {}),
    ("negative_binomial", [0, 0.5], {}),
    ("hypergeometric", [1, 2, 5], {}),
    ("hypergeometric", [-1, 2, 1], {}),
    ("triangular", [0, 3, 2], {}),
    ("triangular", [0, 0, 0], {}),
    ("triangular", [3, 2, 4], {}),
    ("uniform", [0, float("inf")], {}),
    ("uniform", [0, [1.0, float("nan")]], {}),
    ("choice", [0], {}),
    ("choice", [5, 6], {"replace": False}),
    ("choice", [[1, 2, 3]], {"p": [0.5, 0.5]}),
    ("choice", [3], {"p": [0.5, 0.4, 0.2]}),
    ("choice", [3], {"p": [0.5, 0.7, -0.2]}),
    ("choice", [3], {"p": [0.5, float("nan"), 0.2]}),
    ("choice", [3, 3], {"p": [1.0, 0.0, 0.0], "replace": False}),
    ("choice", [2.5], {}),
    ("shuffle", [5], {}),
    ("multinomial", [-1, [0.5, 0.5]], {}),
    ("multinomial", [3, [0.9, 0.9, 0.1]], {}),
    ("multinomial", [3, [-0.1, 1.1]], {}),
    ("dirichlet", [[-1.0, 1]], {}),
    ("dirichlet", [5], {}),
    ("multivariate_normal", [[0, 0], [[1]]], {}),
    ("multivariate_normal", [0, [[1]]], {}),
]
REFUSED_INTEGERS = [
    ([0], {}),
    ([5, 5], {}),
    ([5, 3], {}),
    ([0, 300], {"dtype": "u1"}),
    ([-1, 3], {"dtype": "u1"}),
    ([-129, 3], {"dtype": "i1"}),
    ([0, 2**64], {}),
    ([3], {"dtype": "f8"}),
    ([3], {"dtype": "no"}),
    ([[1, 0]], {}),
    ([0, [3, 2**40]], {"dtype": "i4"}),
    ([float("nan")], {}),
    ([3, 4, (2, -2)], {}),
]
