// The TypeScript SDK's client, second line: asks the server what it speaks, and takes the newest revision.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { versionOf, visit } from "./shop.mjs";

const client = new Client({ name: "clients", version: "0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StdioClientTransport({ command: process.argv[2] }));
await visit(client);
const revision = client.getNegotiatedProtocolVersion();
await client.close();
console.log(`typescript-v2 ${versionOf("@modelcontextprotocol/client")} (${revision})`);
