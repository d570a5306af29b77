import type { FileHash, FileWrite, GitHead } from "../machines/tool-call/file-write.ts";
import type { Shell } from "../ports/shell.ts";
import { type ChangedFile, fileWrite, hashOf } from "./changed-file.ts";
import type { WriteRecording } from "./write-recording.ts";

/** Files of one command whose lines are compared. Of those beyond, only the hashes are recorded. */
const COMPARED_FILES_MAX = 500;

/** Record what the commands of a call change. `add` takes each file at the end of its command. */
export function recordCommands(
  shell: Shell,
  { isOn, gitHead, keepState, concurrent }: WriteRecording,
  add: (write: FileWrite) => void,
): Shell {
  if (keepState === undefined) return shell;
  const run: Shell["run"] = async (options) => {
    if (!(await isOn())) return shell.run(options);
    return concurrent.whileNoting(async (noted) => {
      const [git, changesSince] = await Promise.all([gitHead(), keepState()]);
      try {
        return await shell.run(options);
      } finally {
        let compared = 0;
        await changesSince((file) => {
          compared += 1;
          const write = writeOf(file, noted.get(file.path), compared <= COMPARED_FILES_MAX, git);
          if (write === undefined) return;
          concurrent.note(write.path, write.after);
          add(write);
        });
      }
    });
  };
  return { program: shell.program, run };
}

/** The part of a command in the change of a file. `noted`: the content up to which other calls recorded it. */
function writeOf(
  file: ChangedFile,
  noted: FileHash | undefined,
  isCompared: boolean,
  git: GitHead | undefined,
): FileWrite | undefined {
  if (noted === undefined && isCompared) return fileWrite(file, git);
  const after = hashOf(file.after);
  if (noted === after) return undefined;
  const before = noted === undefined ? hashOf(file.before) : noted;
  return { path: file.path, before, after, ...(git !== undefined && { git }) };
}
