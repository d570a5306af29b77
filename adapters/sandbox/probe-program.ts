/**
 * The program that tries the actions of probes in a sandbox. Its argument is a list of actions in JSON, each a name and what it is
 * done with; its output is a list of their results: `done`, or the code of an error.
 */
export const PROBE_PROGRAM = `"use strict";
const { closeSync, linkSync, openSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { connect } = require("node:net");
const actions = {
  create: (file, text) => writeFileSync(file, text, { flag: "wx" }),
  openToRead: (file) => closeSync(openSync(file, "r")),
  openToWrite: (file) => closeSync(openSync(file, "r+")),
  readByLink: (file, link) => {
    linkSync(file, link);
    readFileSync(link);
  },
  rename: renameSync,
  connect: (options) =>
    new Promise((resolve, reject) => {
      const socket = connect(options, () => resolve(socket.destroy())).on("error", reject);
    }),
};
const all = JSON.parse(process.argv[1]);
(async () => {
  const results = [];
  for (const [name, ...args] of all)
    try {
      await actions[name](...args);
      results.push("done");
    } catch (error) {
      results.push(String(error.code));
    }
  console.log(JSON.stringify(results));
})();
`;
