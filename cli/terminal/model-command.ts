import { profileNames, selectedProfile, type TaskContext } from "../../machines/task/index.ts";
import { printable } from "../show/index.ts";
import type { SlashContext } from "./slash-context.ts";

/** `/model`: lists the profiles of the task in focus, or selects the model of its next request. */
export function modelCommand(context: SlashContext, name: string): void {
  if (name === "") listProfiles(context);
  else context.say(printable(select(context, name)));
}

function listProfiles({ task, profiles, say }: SlashContext): void {
  const { context } = task().snapshot;
  const selected = selectedProfile(context);
  say(printable(`The model is ${selected}, ${formatModel(context, selected)}.`));
  for (const name of profileNames(context.profiles)) {
    const problem = profiles.find((profile) => profile.name === name)?.problem;
    const note = problem === undefined ? "" : "  (no key)";
    say(printable(`${name === selected ? ">" : " "} ${name}  ${formatModel(context, name)}${note}`));
  }
}

function formatModel({ profiles, standardModel }: TaskContext, name: string): string {
  const model = name === profiles.standard ? standardModel : profiles.models[name];
  return model === undefined ? "unknown" : `${model.id} (${model.provider})`;
}

/** Select a profile, and return what then holds, or why it was refused. */
function select({ task, profiles }: SlashContext, name: string): string {
  const problem = profiles.find((profile) => profile.name === name)?.problem;
  if (problem !== undefined) return problem;
  try {
    const result = task().selectProfile(name);
    return result.selected ? `The model is ${name} from the next request on.` : result.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
