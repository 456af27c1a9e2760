"""`codes`: names of status codes, such as `codes.ok`, `codes.NOT_FOUND` and `codes["too_many_requests"]`."""

from http import HTTPStatus

from requests.structures import LookupDict

__all__ = ["codes"]

# Besides the names of the standard.
_ALSO = {
    103: "checkpoint",
    122: "request_uri_too_long",
    200: "okay all_ok all_okay all_good \\o/ ✓",
    203: "non_authoritative_info",
    204: "no_content",
    205: "reset_content reset",
    206: "partial_content partial",
    207: "multi_status multiple_status multi_stati multiple_stati",
    301: "moved_permanently moved \\o-",
    303: "see_other other",
    306: "switch_proxy",
    307: "temporary_redirect temporary_moved temporary",
    308: "permanent_redirect resume_incomplete resume",
    400: "bad_request bad",
    402: "payment_required payment",
    404: "not_found -o-",
    405: "method_not_allowed not_allowed",
    407: "proxy_authentication_required proxy_auth proxy_authentication",
    408: "request_timeout timeout",
    412: "precondition_failed precondition",
    413: "request_entity_too_large content_too_large",
    414: "request_uri_too_large uri_too_long",
    415: "unsupported_media_type unsupported_media media_type",
    416: "requested_range_not_satisfiable requested_range range_not_satisfiable",
    418: "im_a_teapot teapot i_am_a_teapot",
    421: "misdirected_request",
    422: "unprocessable_entity unprocessable unprocessable_content",
    424: "failed_dependency dependency",
    425: "unordered_collection unordered too_early",
    426: "upgrade_required upgrade",
    428: "precondition_required precondition",
    429: "too_many_requests too_many",
    431: "header_fields_too_large fields_too_large",
    444: "no_response none",
    449: "retry_with retry",
    450: "blocked_by_windows_parental_controls parental_controls",
    451: "unavailable_for_legal_reasons legal_reasons",
    499: "client_closed_request",
    500: "internal_server_error server_error /o\\ ✗",
    503: "service_unavailable unavailable",
    505: "http_version_not_supported http_version",
    509: "bandwidth_limit_exceeded bandwidth",
    511: "network_authentication_required network_auth network_authentication",
}

codes = LookupDict("status_codes")
for _name, _status in HTTPStatus.__members__.items():
    setattr(codes, _name.lower(), int(_status))
for _status, _names in _ALSO.items():
    for _name in _names.split():
        setattr(codes, _name, _status)
for _name, _status in list(vars(codes).items()):
    if _name != "name" and not _name.startswith(("\\", "/")):
        setattr(codes, _name.upper(), _status)
