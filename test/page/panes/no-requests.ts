import type { TaskActions } from "../../../visualize/page/source.ts";

const noRequest = () => Promise.reject(new Error("no request while rendering"));

/** Actions that send nothing, for a page that is only rendered. */
export const NO_REQUESTS: TaskActions = {
  create: noRequest,
  open: noRequest,
  answer: noRequest,
  proceed: noRequest,
  abort: noRequest,
  continue: noRequest,
  queue: noRequest,
  cancel: noRequest,
  changePermissions: noRequest,
  fork: noRequest,
  breakpoints: noRequest,
  setBreakpoints: noRequest,
  step: noRequest,
  resume: noRequest,
};
