import type { SlashCommand } from "./slash-context.ts";

const PROMPT = `Look at this project and write AGENTS.md in its top folder: what an agent must know to work on it.

- Find out how it is built, tested and checked: read the manifest and configuration files, the README and the CI files. Try no command that publishes or deletes anything.
- Write the commands to install, build, test (all tests, and one test) and lint.
- Describe the parts of the code in a few lines: folders, what they are for, and what may import what.
- Write the rules of this project that its code and documents show: names, style, errors, tests, commits. Leave out what every project does.
- If there is an AGENTS.md, CLAUDE.md, .clinerules or .roo/rules, keep what is right in it and correct the rest.

At most 80 lines. Write only what you have seen in the project.`;

/** `/init`: lets the agent write AGENTS.md. */
export const initCommand: SlashCommand = {
  usage: "/init",
  about: "let the agent look at the project and write AGENTS.md",
  run: ({ send }) => send(PROMPT),
};
