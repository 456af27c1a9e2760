// `@modelcontextprotocol/sdk` 1.x: the revisions with a handshake.

import { readFileSync } from 'node:fs';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { check } from './calls.mjs';
import { main } from './claims.mjs';

const { version } = JSON.parse(readFileSync('node_modules/@modelcontextprotocol/sdk/package.json'));

async function open(target, ask) {
  const client = new Client({ name: 'claims', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async request => ask(request.params.message));
  const isProcess = typeof target === 'object';
  const transport = isProcess ? new StdioClientTransport(target) : new StreamableHTTPClientTransport(new URL(target));
  const { stderr } = transport;
  stderr?.resume();
  await client.connect(transport);
  return {
    stderr,
    tools: async () => (await client.listTools()).tools,
    call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    close: () => client.close(),
  };
}

await main(() => check({ name: `typescript-sdk-${version}`, holdsStream: true, open }));
