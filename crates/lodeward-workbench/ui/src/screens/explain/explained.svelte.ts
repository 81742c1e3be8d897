// The URI that the panel beside the screen explains.

class Explained {
  uri: string | undefined = $state();

  open(uri: string): void {
    this.uri = uri;
  }

  close(): void {
    this.uri = undefined;
  }
}

export const explained = new Explained();
