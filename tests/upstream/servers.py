"""Prints the configuration of the installed servers: `servers.py FOLDER`. What they need to start and list their tools without an
account stands here: tokens that are none, and addresses at which nobody listens."""
import json, sys

place = sys.argv[1]
data, nowhere = f"{place}/data", "http://127.0.0.1:9"
node = f"{place}/node/node_modules"


def npm(script, *args, **env):
    return {"command": f"{node}/.bin/node", "args": [f"{node}/{script}", *args], **({"env": env} if env else {})}


def pypi(number, name, *args):
    return {"command": f"{place}/python-{number}/bin/{name}", "args": list(args)}


servers = {
    "everything": npm("@modelcontextprotocol/server-everything/dist/index.js"),
    "filesystem": npm("@modelcontextprotocol/server-filesystem/dist/index.js", f"{data}/files"),
    "memory": npm("@modelcontextprotocol/server-memory/dist/index.js", MEMORY_FILE_PATH=f"{data}/memory.json"),
    "git": pypi(1, "mcp-server-git", "--repository", f"{data}/repository"),
    "time": pypi(1, "mcp-server-time", "--local-timezone", "UTC"),
    "fetch": pypi(1, "mcp-server-fetch"),
    "sqlite": pypi(2, "mcp-server-sqlite", "--db-path", f"{data}/test.db"),
    "thinking": npm("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
    "github": npm("@modelcontextprotocol/server-github/dist/index.js", GITHUB_PERSONAL_ACCESS_TOKEN="none"),
    "notion": npm("@notionhq/notion-mcp-server/bin/cli.mjs", NOTION_TOKEN="none"),
    "playwright": npm("@playwright/mcp/cli.js", "--headless"),
    "sentry": npm("@sentry/mcp-server/dist/index.js", "--access-token=none", "--host=127.0.0.1"),
    "context7": npm("@upstash/context7-mcp/dist/index.js"),
    "gitlab": npm("@zereight/mcp-gitlab/build/index.js", GITLAB_PERSONAL_ACCESS_TOKEN="none", GITLAB_API_URL=f"{nowhere}/api/v4"),
    "chrome": npm("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
    "kubernetes": npm("mcp-server-kubernetes/dist/index.js"),
}
for entry in servers.values():
    entry["intentbox"] = {"discovery_s": 120, "call_s": 120, "write": [data]}
print(json.dumps({"mcpServers": servers}, indent=2))
