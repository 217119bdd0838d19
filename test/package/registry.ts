import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../docs/page.js';

const run = promisify(execFile);

interface Manifest {
  name: string;
  version: string;
}

/** Installs the packed tarball with `npm install -g`, as a user does, and returns the folder of its program. */
export async function installPackage(folder: string): Promise<string> {
  const registry = await serveRegistry();
  try {
    const env = { PATH: process.env.PATH, HOME: folder };
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, env });
    const { version } = readManifest('.');
    const tarball = join(folder, `teddy-cli-${version}.tgz`);
    const prefix = join(folder, 'prefix');
    await run('npm', ['install', '-g', '--prefix', prefix, '--registry', registry.url, tarball], {
      cwd: folder,
      env,
    });
    return join(prefix, 'bin');
  } finally {
    registry.close();
  }
}

/** An npm registry on this machine with the packages that users get besides teddy, so that no network is needed. */
async function serveRegistry(): Promise<{ url: string; close: () => void }> {
  const folders = listDependencies();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const index = /^-\/(\d+)\.tgz$/.exec(path)?.[1];
    const body = index === undefined ? describePackage(path) : await packFolder(folders[Number(index)]!);
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function describePackage(name: string): string | undefined {
    const versions = folders
      .map((folder, index) => ({ ...readManifest(folder), dist: { tarball: `${url}/-/${index}.tgz` } }))
      .filter((manifest) => manifest.name === name);
    if (versions.length === 0) return undefined;
    return JSON.stringify({
      name,
      'dist-tags': { latest: versions[0]?.version },
      versions: Object.fromEntries(versions.map((manifest) => [manifest.version, manifest])),
    });
  }

  return { url, close: () => server.close() };
}

/** The folders of all packages that are installed with teddy here: not for development alone, nor for another system. */
function listDependencies(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .map(([folder]) => folder)
    .filter((folder) => existsSync(join(ROOT, folder)));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

async function packFolder(folder: string): Promise<Buffer> {
  // npm ignores the name of the outermost folder.
  const words = ['-cz', '--exclude=node_modules', '-C', join(ROOT, dirname(folder)), basename(folder)];
  const { stdout } = await run('tar', words, { encoding: 'buffer', maxBuffer: 100_000_000 });
  return stdout;
}
