import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Installs a Node of a major version from the package registry into a folder. Gives the folder of its binary. */
export function installNode(major, folder) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const install = ['install', '--no-save', '--no-audit', '--prefer-offline', '--prefix', folder];
  execFileSync('npm', [...install, `${name}@${major}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  return path.join(folder, 'node_modules', name, 'bin');
}
