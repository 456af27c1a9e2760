// `@modelcontextprotocol/client` 2.x: with a handshake, without one, and as it finds out by itself.

import { readFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { check } from './calls.mjs';
import { main } from './claims.mjs';

const { version } = JSON.parse(readFileSync('node_modules/@modelcontextprotocol/client/package.json'));
const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

const opening = mode => async (target, ask) => {
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode } };
  const client = new Client({ name: 'claims', version: '1' }, options);
  client.setRequestHandler('elicitation/create', async request => ask(request.params.message));
  const isProcess = typeof target === 'object';
  const transport = isProcess ? new StdioClientTransport(target) : new StreamableHTTPClientTransport(new URL(target));
  const { stderr } = transport;
  stderr?.resume();
  await client.connect(transport);
  return {
    stderr,
    tools: async () => (await client.listTools()).tools,
    call: (name, given, settings) => client.callTool({ name, arguments: given }, settings),
    close: () => client.close(),
  };
};

await main(async () => {
  for (const [era, mode] of Object.entries(MODES)) {
    const name = `typescript-client-${version}-${era}`;
    await check({ name, holdsStream: era === 'legacy', open: opening(mode) });
  }
});
