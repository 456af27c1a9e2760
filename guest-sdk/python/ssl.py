"""`ssl` without TLS: the names that libraries import.

A context can be made and configured, as libraries do ahead of a connection; a connection cannot. The host speaks TLS
for `http`.
"""

import enum
from collections import namedtuple

from intentbox import absent

OPENSSL_VERSION = "none"
OPENSSL_VERSION_INFO = (0, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0
HAS_SNI = HAS_ALPN = HAS_TLSv1_2 = HAS_TLSv1_3 = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_ECDH = HAS_PSK = False
HAS_NEVER_CHECK_COMMON_NAME = True

PROTOCOL_TLS = PROTOCOL_SSLv23 = 2
PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER = 16, 17
OP_ALL, OP_NO_SSLv2, OP_NO_SSLv3 = 0x80000050, 0, 0x2000000
OP_NO_TLSv1, OP_NO_TLSv1_1, OP_NO_TLSv1_2, OP_NO_TLSv1_3 = 0x4000000, 0x10000000, 0x8000000, 0x20000000
OP_NO_COMPRESSION, OP_NO_TICKET, OP_SINGLE_DH_USE = 0x20000, 0x4000, 0
VERIFY_DEFAULT, VERIFY_X509_STRICT, VERIFY_X509_PARTIAL_CHAIN = 0, 0x20, 0x80000


class VerifyMode(enum.IntEnum):
    CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = 0, 1, 2


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED, MAXIMUM_SUPPORTED = -2, -1
    SSLv3, TLSv1, TLSv1_1, TLSv1_2, TLSv1_3 = 0x300, 0x301, 0x302, 0x303, 0x304


CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = VerifyMode


class SSLError(OSError):
    library = reason = None


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    pass


CertificateError = SSLCertVerificationError
socket_error = OSError


class Purpose(enum.Enum):
    SERVER_AUTH, CLIENT_AUTH = "server", "client"


class SSLContext:
    """Keeps its settings, and wraps nothing."""

    def __init__(self, protocol=PROTOCOL_TLS):
        self.protocol = protocol
        self.verify_mode = CERT_REQUIRED if protocol == PROTOCOL_TLS_CLIENT else CERT_NONE
        self.check_hostname = protocol == PROTOCOL_TLS_CLIENT
        self.minimum_version, self.maximum_version = TLSVersion.TLSv1_2, TLSVersion.MAXIMUM_SUPPORTED
        self.options, self.verify_flags = OP_ALL, VERIFY_DEFAULT
        self.post_handshake_auth = False
        self.keylog_filename = None

    def _keep(self, *arguments, **options):
        pass

    load_verify_locations = load_default_certs = set_default_verify_paths = load_cert_chain = _keep
    set_alpn_protocols = set_ciphers = _keep

    def get_ca_certs(self, binary_form=False):
        return []

    def wrap_socket(self, *arguments, **options):
        absent.no_sockets()

    wrap_bio = wrap_socket


class SSLSocket:
    """A class for `isinstance`; there are no instances."""

    def __init__(self, *arguments, **options):
        absent.no_sockets()


class SSLObject(SSLSocket):
    pass


class MemoryBIO(SSLSocket):
    pass


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    """Returns a context; it is good for being passed on, not for a connection."""
    return SSLContext(PROTOCOL_TLS_CLIENT if purpose is Purpose.SERVER_AUTH else PROTOCOL_TLS_SERVER)


def _create_unverified_context(*arguments, **options):
    return SSLContext(PROTOCOL_TLS)


_create_default_https_context = create_default_context
_create_stdlib_context = _create_unverified_context
get_server_certificate = absent.no_sockets
DefaultVerifyPaths = namedtuple(
    "DefaultVerifyPaths", "cafile capath openssl_cafile_env openssl_cafile openssl_capath_env openssl_capath"
)


def get_default_verify_paths():
    """Returns paths that are all empty."""
    return DefaultVerifyPaths(None, None, "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")
