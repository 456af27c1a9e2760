import statistics as st
from fractions import Fraction
data = [2, 4, 4, 4, 5, 5, 7, 9]
print(st.mean(data), st.median(data), st.mode(data), st.multimode([1, 1, 2, 2]), st.pstdev(data), round(st.stdev(data), 12))
print(st.variance(data), st.pvariance(data), st.median_low(data), st.median_high([1, 3]), st.median_grouped([1, 2, 2, 3]))
print(st.fmean([1, 2, 3.5]), st.fmean([1, 2], weights=[3, 1]), round(st.geometric_mean([1, 2, 4]), 12), st.harmonic_mean([40, 60]))
print(st.quantiles(data, n=4), st.quantiles(range(1, 101), n=10, method="inclusive")[:3])
print(st.mean([Fraction(1, 2), Fraction(1, 3)]), st.mean([1.5, 2.5]))
print(round(st.correlation([1, 2, 3, 4], [2, 4, 6, 9]), 10), st.linear_regression([1, 2, 3], [3, 5, 7]), st.covariance([1, 2, 3], [1, 2, 3]))
try:
    st.mean([])
except st.StatisticsError as error:
    print(error)
normal = st.NormalDist(100, 15)
print(round(normal.cdf(115), 10), round(normal.inv_cdf(0.975), 10), normal.zscore(130), normal + 5)
print(st.mode(["a", "b", "b"]), st.median(["a", "b", "c"][:1] * 3))
