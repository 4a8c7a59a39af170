"""The prices of a million European options by the formula of Black and Scholes.

python examples/black_scholes.py --options 1000000
"""

import argparse

import numpy as np
from scipy.special import erf

RATE = 0.02  # a year, riskless
VOLATILITY = 0.3  # a year


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0)))


def black_scholes(price, strike, years):
    """Return the value of the call and of the put with that strike price, for a share at that price."""
    root = VOLATILITY * np.sqrt(years)
    d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / root
    d2 = d1 - root
    discounted = strike * np.exp(-RATE * years)
    call = price * normal_cdf(d1) - discounted * normal_cdf(d2)
    put = discounted * normal_cdf(-d2) - price * normal_cdf(-d1)
    return call, put


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--options", type=int, default=1_000_000, help="how many (default: %(default)s)")
    count = parser.parse_args().options

    rng = np.random.default_rng(7)
    price = rng.uniform(50.0, 150.0, count)
    strike = rng.uniform(50.0, 150.0, count)
    years = rng.uniform(0.1, 3.0, count)
    call, put = black_scholes(price, strike, years)

    # A call and a put of one strike differ by the share less the discounted strike, whatever the model.
    parity = np.abs(call - put - (price - strike * np.exp(-RATE * years))).max()
    print(f"{count} options")
    print(f"mean call {call.mean():10.6f}")
    print(f"mean put  {put.mean():10.6f}")
    print(f"put-call parity holds to {parity:.1e}")


if __name__ == "__main__":
    main()
