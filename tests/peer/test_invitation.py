"""An invitation survives every way of copying it, and no slip makes it another one."""

import base64
import hashlib
import string
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from peer.invitation import Address, Invitation, InvitationError, fingerprint

STATIC = bytes(range(32))


def plain(*addresses: Address) -> Invitation:
    chosen = addresses or (Address("203.0.113.7", 47100),)
    return Invitation.create(STATIC, chosen, lambda size: bytes(range(size)))


def written(body: bytes) -> str:
    """A text with a good checksum over any `body`, made without the code under test."""
    checksum = hashlib.sha512(b"whitby invitation checksum\0" + body).digest()[:4]
    letters = base64.b32encode(body + checksum).decode().rstrip("=")
    spelling = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789abcdefghjkmnpqrstvwxyz")
    return "whitby:" + letters.translate(spelling)


HEAD = bytes([1]) + bytes(range(16)) + fingerprint(STATIC)

labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
hosts = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
    st.lists(labels, min_size=1, max_size=5)
    .filter(lambda parts: not parts[-1].isdigit())
    .map(".".join),
)
addresses = st.builds(Address, hosts, st.integers(1, 65535))
invitations = st.builds(
    Invitation,
    st.binary(min_size=16, max_size=16),
    st.binary(min_size=16, max_size=16),
    st.lists(addresses, min_size=1, max_size=8).map(tuple),
)


# --- what must work ---


def test_the_bytes_of_an_invitation() -> None:
    invitation = plain(
        Address("203.0.113.7", 47100), Address("2001:db8::1", 1), Address("Host.Example", 65535)
    )
    assert invitation.to_text() == written(
        HEAD
        + b"\x01"
        + IPv4Address("203.0.113.7").packed
        + b"\xb7\xfc"
        + b"\x02"
        + IPv6Address("2001:db8::1").packed
        + b"\x00\x01"
        + b"\x03\x0chost.example\xff\xff"
    )


def test_one_ipv4_address_fits_a_terminal() -> None:
    text = plain().to_text()
    assert len(text) == 78
    assert text.isprintable()
    assert " " not in text


@given(invitations)
def test_an_invitation_survives_the_text(invitation: Invitation) -> None:
    assert Invitation.parse(invitation.to_text()) == invitation


@given(invitations, st.data())
def test_spelling_does_not_matter(invitation: Invitation, data: st.DataObject) -> None:
    text = invitation.to_text()
    likes = {"0": "0oO", "1": "1iIlL"}
    noise = ["", "", "", "-", " ", "\n", "\r\n", "\t", "\u2013", "\u00a0", "\u200b", "\ufeff"]
    random = data.draw(st.randoms(use_true_random=False))
    spelled = "".join(
        random.choice(noise)
        + random.choice(likes.get(c, c + c.upper()) if place >= 7 else c + c.upper())
        for place, c in enumerate(text)
    )
    assert Invitation.parse(spelled) == invitation


def test_the_prefix_may_be_missing() -> None:
    assert Invitation.parse(plain().to_text().removeprefix("whitby:")) == plain()


def test_the_longest_invitation_fits() -> None:
    name = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])
    invitation = plain(*[Address(name, port) for port in range(1, 9)])
    assert Invitation.parse("-".join(invitation.to_text())) == invitation


def test_it_knows_its_host() -> None:
    invitation = plain()
    assert (
        invitation.fingerprint
        == (hashlib.sha512(b"whitby invitation fingerprint\0" + STATIC).digest()[:16])
    )
    assert invitation.matches(STATIC)
    assert not invitation.matches(bytes(32))
    assert not invitation.matches(STATIC[:31])


def test_the_psk_comes_from_the_secret_alone() -> None:
    expected = hashlib.sha512(b"whitby invitation psk\0" + bytes(range(16))).digest()[:32]
    assert plain().psk == expected
    assert plain(Address("other.example", 1)).psk == expected
    assert Invitation(bytes(16), bytes(16), plain().addresses).psk != expected


def test_the_secret_is_silent() -> None:
    invitation = plain()
    body = invitation.to_text().removeprefix("whitby:")
    for shown in (repr(invitation), str(invitation), f"{invitation}"):
        assert body[2:28] not in shown
        assert repr(invitation.secret)[2:-1] not in shown
        assert invitation.secret.hex() not in shown


# --- what must not ---


def meaning(c: str) -> str:
    """The character that `c` is read as, or nothing if it is skipped."""
    folded = c.lower().translate(str.maketrans("ilo", "110"))
    return "" if c.isspace() or c == "-" else folded


def test_every_wrong_character_is_noticed() -> None:
    text = plain().to_text()
    for place, right in enumerate(text):
        for c in string.printable + "é\u0661\uff11\u212a\x00":
            if meaning(c) == meaning(right):
                continue
            with pytest.raises(InvitationError):
                Invitation.parse(text[:place] + c + text[place + 1 :])


def test_every_cut_swap_and_doubling_is_noticed() -> None:
    text = plain().to_text()
    for place in range(7, len(text)):
        slips = {text[:place], text[:place] + text[place + 1 :], text[: place + 1] + text[place:]}
        slips.add(text[:place] + text[place : place + 2][::-1] + text[place + 2 :])
        for slip in slips - {text}:
            with pytest.raises(InvitationError):
                Invitation.parse(slip)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "no invitation here"),
        (" \n", "no invitation here"),
        ("whitby:", "no invitation here"),
        ("https://example.org", "':' is in no invitation"),
        ("whitby:uuuu", "'u' is in no invitation"),
        ("whitby:00\x1b[2J", r"'\x1b' is in no invitation"),
        ("whitby:0", "cut off"),
        ("whitby:00", "cut off"),
        (plain().to_text()[:-20], "cut off"),
        (plain().to_text()[:-1], "slip in it"),
        (plain().to_text()[:-1] + "z", "slip in it"),
        ("0" * 9000, "much longer"),
        (written(b"\x02" + bytes(50)), "Update it"),
        (written(b"\x02"), "Update it"),
        (written(b"\xff" * 1000), "Update it"),
    ],
)
def test_the_message_says_what_to_do(text: str, advice: str) -> None:
    with pytest.raises(InvitationError) as caught:
        Invitation.parse(text)
    assert advice in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "tail",
    [
        b"",  # no address
        b"\x01" + bytes(4),  # no port
        b"\x01" + bytes(5),
        b"\x01" + bytes(6),  # port 0
        b"\x01" + bytes([127, 0, 0, 1, 0, 1]) + b"\x01",  # half an address after a whole one
        (b"\x01" + bytes([127, 0, 0, 1, 0, 1])) * 9,  # too many
        b"\x00" + bytes([127, 0, 0, 1, 0, 1]),
        b"\x04" + bytes([127, 0, 0, 1, 0, 1]),
        b"\x02" + bytes([127, 0, 0, 1, 0, 1]),
        b"\x03",
        b"\x03\x00\x00\x01",  # a name of no letters
        b"\x03\xffa\x00\x01",
        b"\x03\x01a\x00",
        b"\x03\x01A\x00\x01",  # not lower case
        b"\x03\x02\xc3\xa9\x00\x01",
        b"\x03\x01\x00\x00\x01",
        b"\x03\x01.\x00\x01",
        b"\x03\x02a.\x00\x01",
        b"\x03\x03a b\x00\x01",
        b"\x03\x04a\r\nb\x00\x01",
        b"\x03\x02-a\x00\x01",
        b"\x03\x09127.0.0.1\x00\x01",  # an address spelled as a name
        b"\x03\x03::1\x00\x01",
        b"\x03\x05127.1\x00\x01",
        b"\x03\x40" + b"a" * 64 + b"\x00\x01",
        b"\x03\xfe" + b"a." * 126 + b"aa\x00\x01",
    ],
)
def test_a_good_checksum_excuses_nothing(tail: bytes) -> None:
    with pytest.raises(InvitationError, match="made wrongly"):
        Invitation.parse(written(HEAD + tail))


@given(st.text(max_size=200) | st.text(alphabet="whitby:0189azAZ-ilou \n", max_size=120))
@example("\ud800")
@example("whitby:whitby:")
def test_any_text_gives_an_invitation_or_its_error(text: str) -> None:
    try:
        invitation = Invitation.parse(text)
    except InvitationError:
        return
    assert Invitation.parse(invitation.to_text()) == invitation


@given(st.binary(max_size=80))
def test_any_bytes_have_one_spelling(tail: bytes) -> None:
    text = written(HEAD + tail)
    try:
        invitation = Invitation.parse(text)
    except InvitationError:
        return
    assert invitation.to_text() == text


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "a..b",
        "-a",
        "a-",
        "a_b",
        "a b",
        "münchen.example",
        "\u212aelvin",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "256.0.0.1",
        "a.7",
        "fe80::1%eth0",
        "[::1]",
        "a:1",
        "a" * 64,
        "a." * 126 + "aa",
        "a\n",
    ],
)
def test_hosts_that_are_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r"neither|zone"):
        Address(host, 1)


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_ports_that_are_refused(port: int) -> None:
    with pytest.raises(ValueError, match="port"):
        Address("a", port)


@pytest.mark.parametrize(
    ("host", "port", "shown"),
    [
        ("127.0.0.1", 1, "127.0.0.1:1"),
        ("2001:DB8:0::1", 80, "[2001:db8::1]:80"),
        ("Bücher".encode("idna").decode(), 80, "xn--bcher-kva:80"),
        ("NAS.local", 65535, "nas.local:65535"),
        ("7up.example", 7, "7up.example:7"),
    ],
)
def test_hosts_have_a_usual_form(host: str, port: int, shown: str) -> None:
    assert str(Address(host, port)) == shown


def test_lengths_are_checked() -> None:
    good = plain()
    with pytest.raises(ValueError, match="bytes"):
        Invitation(bytes(15), good.fingerprint, good.addresses)
    with pytest.raises(ValueError, match="bytes"):
        Invitation(good.secret, bytes(17), good.addresses)
    for count in (0, 9):
        with pytest.raises(ValueError, match="addresses"):
            Invitation(good.secret, good.fingerprint, good.addresses * count)
