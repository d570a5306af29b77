import { printable } from "../../client/printable/printable.ts";
import { hasProfile, profileNames, selectedProfile } from "../../machines/task/profile.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import { splitRunModel } from "../providers.ts";
import type { SlashContext } from "./slash-context.ts";

/** `/model`: lists the models of the task in focus, or selects the model of its next request. */
export function modelCommand(context: SlashContext, name: string): void {
  if (name === "") listModels(context);
  else context.say(printable(select(context, name)));
}

function listModels({ task, profiles, say }: SlashContext): void {
  const { context } = task().snapshot;
  const selected = selectedProfile(context);
  say(printable(`The model is ${selected}, ${formatModel(context, selected)}.`));
  const names = profileNames(context.profiles);
  for (const name of names.filter(isProfileName)) {
    const problem = profiles.find((profile) => profile.name === name)?.problem;
    const note = problem === undefined ? "" : "  (no key)";
    say(printable(`${name === selected ? ">" : " "} ${name}  ${formatModel(context, name)}${note}`));
  }
  const others = names.filter((name) => !isProfileName(name));
  if (others.length > 0) say(printable(`Other models: ${others.join(", ")}`));
}

/** No profile of the settings has a slash in its name. */
const isProfileName = (name: string): boolean => !name.includes("/");

function formatModel({ profiles, standardModel }: TaskContext, name: string): string {
  const model = name === profiles.standard ? standardModel : profiles.models[name];
  return model === undefined ? "unknown" : `${model.id} (${model.provider})`;
}

/** Select a profile, and return what then holds, or why it was refused. */
function select({ task, profiles }: SlashContext, name: string): string {
  const problem = profiles.find((profile) => profile.name === name)?.problem;
  if (problem !== undefined) return problem;
  if (!isProfileName(name) && !hasProfile(task().snapshot.context.profiles, name)) return unknownModel(name);
  try {
    const result = task().selectProfile(name);
    return result.ok ? `The model is ${name} from the next request on.` : result.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The reason why a running task does not have this model, and the advice. */
function unknownModel(name: string): string {
  const { provider } = splitRunModel(name);
  return provider === undefined
    ? `${name}: expected PROVIDER/NAME. /model lists the models.`
    : `${name} is not known in this run. Set what its provider needs (key, or a profile with an endpoint), add the model to the settings, such as models: { ${name}: { contextWindow: 128000 } }, and start again; or start with --model ${name}.`;
}
