"""Lists the environments that events come from."""

import sys

import pack

organization = 'acme'
limit = 20

# The list has no pages. Events without an environment belong to one without a name.
names = [found["name"] for found in pack.get(organization, "environments", scope="org:read") if found["name"]]
if len(names) > limit:
    print(f"{limit} of {len(names)} environments ({pack.limits(len(names), 500)})", file=sys.stderr)

result = [{"name": name} for name in names[:limit]]
