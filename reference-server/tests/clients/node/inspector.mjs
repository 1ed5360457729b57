// The MCP Inspector's command line: one process, and so one session, for each question.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { calls, checkPrompt, checkResource, checkStructure, checkText, checkTools, versionOf } from "./shop.mjs";

const NAME = "@modelcontextprotocol/inspector";
const server = process.argv[2];
const inspector = join(import.meta.dirname, "node_modules", NAME, "clients/launcher/build/index.js");

function ask(...question) {
  const args = [inspector, "--cli", "--protocol-era", "modern", "--format", "json", server, "--method", ...question];
  const stdout = execFileSync(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(stdout).result;
}

const pairs = (values) => Object.entries(values).map(([key, value]) => `${key}=${value}`);

function call(tool) {
  return ask("tools/call", "--tool-name", tool.name, "--tool-arg", ...pairs(tool.arguments));
}

const { protocolVersion } = ask("initialize");
checkTools(ask("tools/list"));
checkText(call(calls.text));
checkStructure(call(calls.structure));
checkResource(ask("resources/read", "--uri", calls.resource.uri));
checkPrompt(ask("prompts/get", "--prompt-name", calls.prompt.name, "--prompt-args", ...pairs(calls.prompt.arguments)));
console.log(`inspector ${versionOf(NAME)} (${protocolVersion})`);
