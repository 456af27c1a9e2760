import math
print(math.pi, math.e, math.tau, math.inf, math.nan)
print(math.sqrt(2), round(math.cbrt(27), 12), math.hypot(3, 4), math.dist((0, 0), (3, 4)), math.floor(-1.5), math.ceil(-1.5), math.trunc(-1.9))
print(math.log(8, 2), math.log2(8), math.log10(1000), math.log1p(1e-10), round(math.exp(1), 12), math.expm1(1e-10))
print(round(math.sin(1), 12), round(math.cos(1), 12), round(math.tan(1), 12), round(math.atan2(1, -1), 12), round(math.degrees(1), 10), math.radians(180) == math.pi)
print(math.factorial(20), math.comb(5, 2), math.perm(5, 2), math.gcd(12, 18, 27), math.lcm(4, 6), math.isqrt(99), math.prod([1, 2, 3, 4]))
print(math.fsum([0.1] * 10), math.isclose(0.1 + 0.2, 0.3), math.isnan(math.nan), math.isinf(-math.inf), math.copysign(1, -0.0))
print(math.frexp(8.0), math.ldexp(0.5, 4), math.modf(3.25), math.fmod(-7, 3), math.remainder(7, 4), math.nextafter(1, 2), math.ulp(1.0))
print(round(math.gamma(5), 9), round(math.erf(0.5), 12), round(math.sinh(1), 12))
for bad in ("math.sqrt(-1)", "math.log(0)", "math.factorial(-1)", "math.exp(1000)"):
    try:
        eval(bad)
    except (ValueError, OverflowError) as error:
        print(bad, type(error).__name__)
import cmath
print(cmath.sqrt(-4), round(cmath.phase(1j), 12), cmath.polar(1)[0])
