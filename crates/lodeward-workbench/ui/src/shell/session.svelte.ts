// The signed-in user. A request that is rejected with 401 waits for the dialog of `SignIn.svelte`.

import { client, data, type Schemas } from '../api/client';

export type Role = 'reader' | 'operator' | 'admin';

const ROLES: Role[] = ['reader', 'operator', 'admin'];

class Session {
  user: Schemas['CurrentUser'] | undefined = $state.raw(undefined);
  // Whether the sign-in dialog is open.
  isAsking = $state(false);

  #waiting: (() => void)[] = [];

  get role(): Role | undefined {
    return this.user?.role as Role | undefined;
  }

  // With `--no-auth`, every client is an admin, and there is no sign-in.
  get isOpen(): boolean {
    return this.user?.via === 'disabled';
  }

  hasRole(role: Role): boolean {
    return this.role !== undefined && ROLES.indexOf(this.role) >= ROLES.indexOf(role);
  }

  async load(): Promise<void> {
    this.user = await data(client.GET('/api/v1/me'));
  }

  ask(): Promise<void> {
    this.isAsking = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async enter(name: string, password: string): Promise<void> {
    await client.POST('/api/v1/session', { body: { name, password } });
    this.isAsking = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
    await this.load();
  }

  async leave(): Promise<void> {
    await client.DELETE('/api/v1/session');
    this.user = undefined;
    globalThis.location.reload();
  }
}

export const session = new Session();

export function signIn(): Promise<void> {
  return session.ask();
}
