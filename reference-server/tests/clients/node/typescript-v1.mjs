// The TypeScript SDK's client, first line: knows the handshake only.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { versionOf, visit } from "./shop.mjs";

const client = new Client({ name: "clients", version: "0" });
const transport = new StdioClientTransport({ command: process.argv[2] });
// The client keeps what was negotiated to itself, but tells its transport.
let revision;
transport.setProtocolVersion = (version) => (revision = version);
await client.connect(transport);
await visit(client);
await client.close();
console.log(`typescript-v1 ${versionOf("@modelcontextprotocol/sdk")} (${revision})`);
