#!/usr/bin/env node
/**
 * The command `triact`. This file says in one sentence what is wrong when Node is too old, so it holds only what old versions of Node can read, and
 * no static import.
 */
const NEEDED_NODE = 24;
const version = process.versions.node;

if (Number.parseInt(version, 10) < NEEDED_NODE) {
  console.error(`triact needs Node ${NEEDED_NODE} or later, and this is Node ${version}. Install a newer one from https://nodejs.org.`);
  process.exitCode = 2;
} else {
  void import("./start.js").then(({ start }) => start());
}
