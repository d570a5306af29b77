import type { TaskActions } from "../../../visualize/page/source.ts";

const noRequest = () => Promise.reject(new Error("no request while rendering"));

/** Actions that send nothing, for a page that is only rendered. */
export const NO_REQUESTS: TaskActions = {
  create: noRequest,
  open: noRequest,
  answer: noRequest,
  proposal: noRequest,
  proceed: noRequest,
  abort: noRequest,
  continue: noRequest,
  queue: noRequest,
  editQueued: noRequest,
  unqueue: noRequest,
  cancel: noRequest,
  pause: noRequest,
  choices: noRequest,
  switchMode: noRequest,
  selectProfile: noRequest,
  changePermissions: noRequest,
  diffCheckpoint: noRequest,
  restoreCheckpoint: noRequest,
  fork: noRequest,
  breakpoints: noRequest,
  setBreakpoints: noRequest,
  step: noRequest,
  resume: noRequest,
};
