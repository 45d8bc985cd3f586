"""A slow, independent ristretto255 to compare with, written from RFC 9496 over Python integers."""

from dataclasses import dataclass

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def _is_negative(x: int) -> bool:
    return x % P % 2 == 1


def _abs(x: int) -> int:
    return -x % P if _is_negative(x) else x % P


def _sqrt_ratio(u: int, v: int) -> tuple[bool, int]:
    """Section 4.2: whether u/v is a square, and the root of it or of i*u/v."""
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * r * r % P
    correct, flipped = check == u % P, check == -u % P
    if flipped or check == -u * SQRT_M1 % P:
        r = r * SQRT_M1 % P
    return correct or flipped, _abs(r)


INVSQRT_A_MINUS_D = _sqrt_ratio(1, -1 - D)[1]
SQRT_AD_MINUS_ONE = P - _sqrt_ratio(-D - 1, 1)[1]  # the RFC takes the negative root


@dataclass(frozen=True)
class Point:
    """A point of edwards25519 in extended coordinates, up to the small subgroup."""

    x: int
    y: int
    z: int
    t: int

    def __add__(self, other: "Point") -> "Point":
        a = (self.y - self.x) * (other.y - other.x)
        b = (self.y + self.x) * (other.y + other.x)
        c = 2 * D * self.t * other.t
        d = 2 * self.z * other.z
        e, f, g, h = b - a, d - c, d + c, b + a
        return Point(e * f % P, g * h % P, f * g % P, e * h % P)

    def __rmul__(self, scalar: int) -> "Point":
        total, doubled = ZERO, self
        while scalar:
            if scalar & 1:
                total += doubled
            doubled, scalar = doubled + doubled, scalar >> 1
        return total

    def encode(self) -> bytes:
        """Section 4.3.2."""
        x, y, z, t = self.x, self.y, self.z, self.t
        u1, u2 = (z + y) * (z - y), x * y
        _, root = _sqrt_ratio(1, u1 * u2 * u2)
        den1, den2 = root * u1, root * u2
        inverse = den1 * den2 * t
        if _is_negative(t * inverse):
            x, y, den = y * SQRT_M1, x * SQRT_M1, den1 * INVSQRT_A_MINUS_D
        else:
            den = den2
        if _is_negative(x * inverse):
            y = -y
        return _abs(den * (z - y)).to_bytes(32, "little")


ZERO = Point(0, 1, 1, 0)


def decode(data: bytes) -> Point | None:
    """Section 4.3.1; None for what is no canonical encoding."""
    s = int.from_bytes(data, "little")
    if s >= P or _is_negative(s):
        return None
    u1, u2 = 1 - s * s, 1 + s * s
    v = -D * u1 * u1 - u2 * u2
    square, root = _sqrt_ratio(1, v * u2 * u2)
    x = _abs(2 * s * root * u2)
    y = u1 * root * root * u2 * v % P
    t = x * y % P
    if not square or _is_negative(t) or y == 0:
        return None
    return Point(x, y, 1, t)


def from_uniform(data: bytes) -> Point:
    """Section 4.3.4."""
    return _map(data[:32]) + _map(data[32:])


def _map(half: bytes) -> Point:
    t = int.from_bytes(half, "little") % 2**255 % P
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D)
    v = (-1 - r * D) * (r + D)
    square, s = _sqrt_ratio(u, v)
    if not square:
        s = -_abs(s * t)
    c = -1 if square else r
    n = c * (r - 1) * (D - 1) ** 2 - v
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return Point(w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)
