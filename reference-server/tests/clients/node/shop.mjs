// What the shop must say, whichever client asks. A result is taken as the client gives it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const calls = {
  text: { name: "count_orders", arguments: { status: "paid" } },
  structure: { name: "read_query", arguments: { sql: "SELECT count(*) AS n FROM orders" } },
  resource: { uri: "shop://schema" },
  prompt: { name: "order-report", arguments: { status: "shipped" } },
};

export function checkTools({ tools }) {
  const names = tools.map((tool) => tool.name);
  for (const name of [calls.text.name, calls.structure.name]) {
    assert.ok(names.includes(name), `${name} is not among ${names}`);
  }
}

export function checkText({ content, structuredContent, isError }) {
  assert.ok(!isError, JSON.stringify(content));
  assert.equal(structuredContent, undefined);
  assert.deepEqual(content, [{ type: "text", text: "4" }]);
}

export function checkStructure({ content, structuredContent, isError }) {
  assert.ok(!isError, JSON.stringify(content));
  assert.deepEqual(structuredContent, { columns: ["n"], rows: [[8]], truncated: false });
  assert.equal(content.length, 1);
  assert.deepEqual(JSON.parse(content[0].text), structuredContent);
}

export function checkResource({ contents }) {
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, calls.resource.uri);
  assert.equal(contents[0].mimeType, "application/sql");
  assert.match(contents[0].text, /^CREATE TABLE customers /);
}

export function checkPrompt({ description, messages }) {
  assert.equal(description, "A report on shipped orders");
  assert.equal(messages.length, 1);
  assert.equal(messages[0].role, "user");
  assert.match(messages[0].content.text, /shipped orders/);
}

// Drives a client of either TypeScript SDK through all four.
export async function visit(client) {
  checkTools(await client.listTools());
  checkText(await client.callTool(calls.text));
  checkStructure(await client.callTool(calls.structure));
  checkResource(await client.readResource(calls.resource));
  checkPrompt(await client.getPrompt(calls.prompt));
}

// The version of an installed package. Packages need not export their package.json, so it is looked for.
export function versionOf(name) {
  for (const folder of createRequire(import.meta.url).resolve.paths(name)) {
    try {
      return JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")).version;
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }
  throw new Error(`${name} is not installed`);
}
