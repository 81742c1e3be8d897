// A change that a screen sends: its problem, if it fails.

import { Problem } from './problem';

export class Change {
  problem: Problem | undefined = $state.raw();

  // Whether the change was made.
  async run(change: () => Promise<unknown>): Promise<boolean> {
    this.problem = undefined;
    try {
      await change();
      return true;
    } catch (error) {
      this.problem = Problem.of(error);
      return false;
    }
  }
}
