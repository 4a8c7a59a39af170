// Complex functions made of others. Header-free text, see types.hpp; it follows the one that defines the rest
// of `m`.

NL_SCALAR_BEGIN
namespace m {

// What C lacks, from its parts as NumPy has them.
template <class T>
NL_FN Complex<T> cexp2(Complex<T> a) {
    const T ln2 = (T)0.693147180559945309417232121458176568;
    return cexp(Complex<T>{a.re * ln2, a.im * ln2});
}
template <class T>
NL_FN Complex<T> clog2(Complex<T> a) {
    const T log2e = (T)1.442695040888963407359924681001892137;
    const Complex<T> l = clog(a);
    return {l.re * log2e, l.im * log2e};
}
template <class T>
NL_FN Complex<T> clog10(Complex<T> a) {
    const T log10e = (T)0.434294481903251827651128918916605082;
    const Complex<T> l = clog(a);
    return {l.re * log10e, l.im * log10e};
}
template <class T>
NL_FN Complex<T> clog1p(Complex<T> a) {
    const T size = hypot(a.re + (T)1, a.im);
    return {log(size), atan2(a.im, a.re + (T)1)};
}
template <class T>
NL_FN Complex<T> cexpm1(Complex<T> a) {
    const T half = sin(a.im / (T)2);
    return {expm1(a.re) * cos(a.im) - NL_ROUNDED((T)2 * half * half), sin(a.im) * exp(a.re)};
}

}  // namespace m
NL_SCALAR_END
