"""Further cases of the differential tests: ufuncs with keywords, methods of ufuncs, statistics and polynomials."""

from __future__ import annotations

import numpy

from tests.fuzz.generate import Retry
from tests.fuzz.program import Rule

# Ufuncs whose values are prescribed, or sums and products that stay small, so that folds of them can be compared.
FOLDED = """add subtract multiply maximum minimum fmax fmin logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor gcd copysign hypot logaddexp less equal greater_equal not_equal""".split()
SCATTERED = "add subtract multiply maximum bitwise_and bitwise_or bitwise_xor logical_or left_shift".split()
SCATTERED_UNARY = "negative positive logical_not invert square absolute sign".split()  # complex: the first three
KEYWORDS = """add subtract multiply divide maximum fmin equal less logical_and negative absolute floor_divide remainder
    isnan sqrt conjugate sign bitwise_or invert copysign trunc rint floor square""".split()
SIGN_OF_ZERO = {"maximum", "minimum", "fmax", "fmin"}

# How many places a result may differ is judged as for sums (the rule `close`).
STATISTICS = """
    np.quantile({x}, {q}, axis={axis}) | np.percentile({x}, [10, 50.0], axis={axis})
    np.quantile({x}, {q}, method={how}) | np.nanmedian({x}, axis={axis}) | np.nanpercentile({x}, 30.0, axis={axis})
    np.nanquantile({x}, {q}, method={how}) | np.nanvar({x}, axis={axis}) | np.nancumsum({x}, axis={axis})
    np.nanprod({x}.ravel()[:5]) | np.nanargmax({x}) | np.median({x}, axis={axes}) | np.histogram({x}, {n} + 1)[0]
    np.histogram({x}, {n} + 1)[1] | np.histogram({x}, [-1, 0, 2])[0] | np.histogram({x}, [-1, 0, 2])[1]
    np.histogram_bin_edges({x}, 3) | np.histogram2d({x}.ravel(), {x}.ravel(), 2)[0]
    np.histogram2d({x}.ravel(), {x}.ravel(), 2)[1] | np.ptp({x}, axis={axis}) | np.polyval([1, -2, 3], {x})
    np.polyadd({x}.ravel()[:3], {y}.ravel()[:2]) | np.polymul({x}.ravel()[:3], [1, 2]) | np.polyder({x}.ravel()[:4])
    np.polyint({x}.ravel()[:4]) | np.asarray(np.poly({x}.ravel()[:2])) | np.correlate({x}.ravel(), [1, 2])
    np.vander({x}.ravel()[:3], 3) | np.cross({x}.ravel()[:3], [1, 2, 3]) | np.i0({x}) | np.average({x}, axis={axis})
    np.partition({x}.ravel(), {n})[{n}] | np.sort(np.argpartition({x}.ravel(), 0)[:0])
    np.cumulative_sum({x}.ravel()) | np.trapezoid({x}, axis={axis}) | np.gradient({x}, axis={axis})
    np.diff({x}, {n}, axis={axis}) | np.ediff1d({x}, 0) | np.corrcoef({x}) | np.interp({x}, [0, 1], [5, 7], left=-1)
    np.digitize({x}, [3, 1, 0]) | np.einsum('...->...', {x}) | np.lexsort(({x}.ravel(), {x}.ravel()))
    np.pad({x}, 1, mode='edge') | np.pad({x}, (0, 2), mode='wrap') | np.pad({x}, 1, mode='linear_ramp')
    np.pad({x}, 2, mode='mean') | np.pad({x}, 1, mode='reflect') | np.apply_along_axis(np.sum, {axis}, {x})
    np.union1d({x}, {y}) | np.intersect1d({x}, {y}) | np.setxor1d({x}, {y}) | np.setdiff1d({x}, {y})
    np.unique({x}, return_counts=True)[0] | np.unique({x}, return_counts=True)[1]
    np.unique({x}, return_inverse=True)[0] | np.unique({x}, return_inverse=True)[1] | np.unique({x}, axis=0)
    np.resize({x}, (2, 3)) | np.kron({x}, {y}) | np.tensordot({x}, {y}, axes=0) | np.linalg.norm({x}, axis={axis})
    np.linalg.vector_norm({x}, axis={axis}, ord=1) | np.matmul({x}, {y})
"""
METHODS = "linear lower higher nearest midpoint inverted_cdf hazen weibull median_unbiased".split()


class Calls:
    """Makers of further cases; mixed into the builder of cases."""

    def keywords(self) -> None:
        """A ufunc with dtype=, casting=, order= and subok=."""
        rng = self.rng
        name = rng.choice(KEYWORDS)
        function = getattr(numpy, name)
        args = [self.operand()]
        while len(args) < function.nin:
            args.append(self.partner(args[0], "biufc"))
        given = []
        if rng.random() < 0.6:
            given.append(f"dtype={rng.choice(['float32', 'float64', 'complex128', args[0].value.dtype.name])!r}")
        if rng.random() < 0.4:
            given.append(f"casting={rng.choice(['no', 'equiv', 'safe', 'same_kind'])!r}")
        if rng.random() < 0.4:
            given.append(f"order={rng.choice('CFAK')!r}")
        if rng.random() < 0.2:
            given.append(f"subok={rng.choice([True, False])}")
        texts = [a.text for a in args]
        if any("complex" in g for g in given) or any(a.kind == "c" for a in args):
            self.keep(f"a50 = np.{name}({', '.join(texts + given)})", Rule("close", "a50", "", texts))
            return
        rule = Rule("zero_sign", "a50", name, texts) if name in SIGN_OF_ZERO else None
        self.keep(f"a50 = np.{name}({', '.join(texts + given)})", rule)

    def method(self) -> None:
        """reduce, accumulate, reduceat or outer of a ufunc."""
        rng = self.rng
        name = rng.choice(FOLDED)
        x = self.operand()
        how = rng.choice(["reduce", "accumulate", "reduceat", "outer"])
        ndim = numpy.ndim(x.value)
        axis = rng.randint(-ndim - 1, ndim) if rng.random() < 0.1 or not ndim else rng.randrange(-ndim, ndim)
        dtype = f", dtype={rng.choice(['float64', 'int64', 'float32'])!r}" if rng.random() < 0.15 else ""
        if "int" in dtype and x.kind in "fc":
            raise Retry
        if how == "outer":
            y = self.partner(x, "biufc")
            text, operands = f"np.{name}.outer({x.text}, {y.text})", [x.text, y.text]
        else:
            more = ", keepdims=True" if how == "reduce" and rng.random() < 0.3 else ""
            if how == "reduceat":
                n = numpy.shape(x.value)[axis] if ndim and -ndim <= axis < ndim else 1
                text = f"{[rng.randint(0, n) if rng.random() < 0.05 else rng.randrange(max(n, 1)) for _ in range(3)]}, "
            else:
                text = ""
            text, operands = f"np.{name}.{how}({x.text}, {text}axis={axis}{dtype}{more})", [x.text]
        if x.kind == "f" and name == "minimum" and how != "outer":
            raise Retry  # the sign of a zero
        if name == "multiply" and x.value.dtype == numpy.float16:
            raise Retry  # products overflow, or not, by their order
        exact = name in ("logical_and", "logical_or", "logical_xor", "less", "equal", "greater_equal", "not_equal")
        self.keep(f"a50 = {text}", None if exact else Rule("close", "a50", "", operands))

    def scatter(self) -> None:
        """ufunc.at."""
        rng = self.rng
        target = self.target(plain=0.5)
        name = self.fresh()
        self.run(f"{name} = {target.text}")
        value = self.session.names.get(name)
        if not isinstance(value, numpy.ndarray) or not value.ndim or not value.shape[0]:
            raise Retry
        n = value.shape[0]
        many = rng.randint(1, 5)
        key = rng.choice(
            [
                str([rng.randrange(-n, n) for _ in range(many)]),
                str(rng.randrange(-n, n)),
                "np.s_[::2]",
                f"(..., {[0, -1]})",
                f"[{n}]" if rng.random() < 0.2 else "[0, 0]",
            ]
        )
        if rng.random() < 0.2:
            names = SCATTERED_UNARY[:3] if value.dtype.kind == "c" else SCATTERED_UNARY
            self.keep(f"np.{rng.choice(names)}.at({name}, {key})")
            return
        other = self.scalar("u" if value.dtype.kind in "biu" else value.dtype.kind).text
        if rng.random() < 0.3:
            other = f"np.arange({many}) % 3"
        self.keep(f"np.{rng.choice(SCATTERED)}.at({name}, {key}, {other})")

    def statistic(self) -> None:
        """A function of statistics, sets, polynomials or padding."""
        from differential import templates

        x = self.operand()
        fields = self._fields(x) | {
            "q": self.rng.choice(["0.25", "[0.1, 0.5]", "np.float64(0.7)", "1.5"]),
            "how": repr(self.rng.choice(METHODS)),
        }
        text = self.rng.choice(templates(STATISTICS)).format(**fields)
        self.keep(f"a50 = {text}", Rule("close", "a50", "", [x.text, fields["y"]]))
