# row: G08
# outcome: python_error
# about: ten thousand headers are refused inside the guest
http.get("https://example.com/", headers={f"x-{number}": "y" for number in range(10_000)})
