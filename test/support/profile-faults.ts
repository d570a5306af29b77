import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task with another model, which mode `ask` has. */
const PROFILED = {
  input: {
    model: { provider: "mock", id: "standard" },
    profiles: {
      standard: "default",
      models: { other: { provider: "elsewhere", id: "other" } },
      byMode: { ask: "other" },
    },
    completion: "end_turn",
  },
  bounds: { turns: 1, blocks: 1, queued: 0, interruptions: 0, profiles: true, tools: ["question"] },
} as const;

/** A task whose standard model is replaced by another while it fails. */
const REPLACED = {
  input: {
    ...PROFILED.input,
    limits: { retries: 1 },
    profiles: { ...PROFILED.input.profiles, fallbacks: { default: ["other"] } },
  },
  bounds: { turns: 1, blocks: 1, queued: 0, interruptions: 0, tools: [] },
} as const;

const inFile = (file: string, law: string, name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  name,
  law,
  ...PROFILED,
  file,
  replace,
});

/** The context with the profile that is selected now as that of the open request. */
const ofNow = ({ profile, profiles, standardModel }: TaskContext): TaskContext["requestModel"] => {
  const name = profile?.name ?? null;
  return { profile: name, model: name === null ? standardModel : profiles.models[name] };
};

/** Deliberate bugs in the choice of the model and the mode. */
export const PROFILE_FAULTS: readonly Fault[] = [
  inFile("task/mode.ts", "MODEL", "a part of a request has the mode selected since", () => ({
    requestMode: ({ mode }: TaskContext) => mode,
  })),
  inFile("task/request.ts", "MODEL", "an open request changes its mode", ({ startLlm }) => ({
    startLlm: (change: Change) => {
      change.set({ requestMode: change.context.mode });
      startLlm(change);
    },
  })),
  inFile("task/profile.ts", "MODEL", "profile of the mode not selected with it", () => ({
    selectProfileOfMode: () => {},
  })),
  inFile("task/profile.ts", "MODEL", "profile of the user lost by a switch of the mode", () => ({
    selectProfileOfMode: (change: Change) => {
      const name = change.context.mode === "ask" ? "other" : null;
      change.set({ profile: { name, chosen: change.context.profile?.chosen ?? null } });
    },
  })),
  inFile("task/profile.ts", "MODEL", "request opened with the standard model", () => ({
    profileInUse: () => null,
  })),
  inFile("task/profile.ts", "MODEL", "request sent to the profile selected meanwhile", () => ({
    requestProfile: (context: TaskContext) => {
      const profile = ofNow(context)?.profile ?? null;
      return profile === null ? {} : { profile };
    },
  })),
  inFile(
    "task/profile.ts",
    "MODEL",
    "open request takes the profile selected meanwhile",
    ({ selectProfile }) => ({
      selectProfile: (change: Change) => {
        selectProfile(change);
        if (change.context.request !== undefined) change.set({ requestModel: ofNow(change.context) });
      },
    }),
  ),
  inFile("task/model.ts", "MODEL", "standard model recorded for every request", ({ recordModel }) => ({
    recordModel: (change: Change) => {
      recordModel(change);
      change.set({ model: change.context.standardModel });
    },
  })),
  inFile("task/model.ts", "MODEL", "response names the standard model", ({ nameOf }) => ({
    nameOf: () => nameOf(PROFILED.input.model),
  })),
  {
    ...inFile("task/recovery.ts", "MODEL", "selected profile lost by a crash", ({ recover }) => ({
      recover: (change: Change) => {
        recover(change);
        change.set({ profile: null });
      },
    })),
    bounds: { ...PROFILED.bounds, crashes: 1 },
  },
  inFile("task/commit.ts", "L11", "profile missing from every commit", ({ factsIn }) => ({
    factsIn: ({ profile: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
  })),
  {
    ...inFile("task/profile.ts", "MODEL", "replaced profile still in use at rest", () => ({
      endFallback: () => {},
    })),
    ...REPLACED,
  },
  {
    name: "profile replaced while a retry is left",
    law: "MODEL",
    ...REPLACED,
    provide: { guards: { mayRetry: () => false, mayFallBack: ({ context }) => context.fallback === 0 } },
  },
  {
    ...inFile("task/profile.ts", "MODEL", "request after a replacement sent to the failed profile", () => ({
      profileInUse: () => null,
    })),
    ...REPLACED,
  },
];
