#!/usr/bin/env node
// Any Node can read this file, so that one which is too old says so instead of failing at what it does not know.
// biome-ignore-all lint/style/useNodejsImportProtocol: old ones do not know it
const { existsSync } = require("fs");
const { join } = require("path");
const { pathToFileURL } = require("url");

const wanted = require("../package.json").engines.node.replace(">=", "");

/** In a clone that was not built the TypeScript is run as it is: a condition makes the packages hand out their sources. */
function runSource(file) {
  const args = ["--conditions=@toolrig/source", file, ...process.argv.slice(2)];
  process.removeAllListeners("warning");
  if (process.platform !== "win32")
    process.execve(process.execPath, [process.execPath, ...args], process.env);
  process.exitCode = require("child_process").spawnSync(process.execPath, args, { stdio: "inherit" }).status;
}

function isOlder(version, least) {
  const [major, minor] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = least.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

const { node } = process.versions;
const built = join(__dirname, "..", "dist", "main.js");
if (isOlder(node, wanted)) {
  console.error(`toolrig: Toolrig needs Node ${wanted} or newer; this is ${node}, ${process.execPath}.`);
  console.error("Install a newer one: https://nodejs.org/en/download");
  process.exitCode = 2;
} else if (existsSync(built)) {
  import(pathToFileURL(built).href);
} else {
  runSource(join(__dirname, "..", "src", "main.ts"));
}
