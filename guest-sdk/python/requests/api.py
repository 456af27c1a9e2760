"""The functions of this package: one request each."""

from requests.sessions import Session

__all__ = ["delete", "get", "head", "options", "patch", "post", "put", "request"]


def request(method, url, **options):
    """Sends one request and returns its `Response`: see `Session.request`."""
    return Session().request(method, url, **options)


def get(url, params=None, **options):
    """`request("GET", url, …)`."""
    return request("GET", url, params=params, **options)


def options(url, **options):
    """`request("OPTIONS", url, …)`, which the host refuses: no origin grants it."""
    return request("OPTIONS", url, **options)


def head(url, **options):
    """`request("HEAD", url, …)`."""
    return request("HEAD", url, **options)


def post(url, data=None, json=None, **options):
    """`request("POST", url, …)`."""
    return request("POST", url, data=data, json=json, **options)


def put(url, data=None, **options):
    """`request("PUT", url, …)`."""
    return request("PUT", url, data=data, **options)


def patch(url, data=None, **options):
    """`request("PATCH", url, …)`."""
    return request("PATCH", url, data=data, **options)


def delete(url, **options):
    """`request("DELETE", url, …)`."""
    return request("DELETE", url, **options)
