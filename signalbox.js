#!/usr/bin/env node
// The engine is installed without the command, which is a package of its own. A checkout has both.
const command = find("@signalbox/cli/npm/signalbox.js");
if (command === undefined) {
  process.stderr.write(
    "The command signalbox is a package of its own. Install it with `npm install @signalbox/cli`, or run it with `npx -p @signalbox/cli signalbox`.\n",
  );
  process.exitCode = 1;
} else await import(command);

function find(name) {
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  }
}
