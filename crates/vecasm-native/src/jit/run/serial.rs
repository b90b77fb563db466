//! Shaders whose invocations run one after another, because they write parameters that later ones read: every lane of a block is the
//! same invocation, and Rust writes what it leaves.

use super::super::select::List;
use super::{Compiled, Workspace};
use vecasm_exec::{Batch, Outputs, RunError};

impl Compiled<'_> {
    /// As [`run_in`](Self::run_in).
    pub(super) fn run_serial<'w>(
        &self,
        workspace: &'w mut Workspace,
        batch: &Batch<'_>,
    ) -> Result<&'w Outputs, RunError> {
        if batch.helpers.iter().any(|&helper| helper) || !self.try_serial(workspace, batch)? {
            // What an invocation has written when its fuel runs out, only the interpreter says.
            workspace.outputs.clone_from(self.prepared.run_in(&mut workspace.interp, batch)?);
        }
        Ok(&workspace.outputs)
    }

    /// Runs all invocations; says whether none of them ran out of fuel.
    fn try_serial(&self, workspace: &mut Workspace, batch: &Batch<'_>) -> Result<bool, RunError> {
        let shader = self.prepared.shader();
        let given = self.all_given(batch)?;
        workspace.fit(shader, batch, self.isa.lanes());
        self.fill_pool(&mut workspace.memory, batch);
        // One more element than there is, so that there is one.
        let mut params: Vec<Vec<[u32; 4]>> =
            shader.params.iter().map(|p| vec![[0; 4]; p.size as usize + 1]).collect();
        for (all, given) in params.iter_mut().zip(&batch.params) {
            let size = all.len() - 1;
            all.iter_mut().zip(given).take(size).for_each(|(to, from)| *to = *from);
        }
        let mut carried: Vec<[u32; 4]> = shader.outputs.iter().map(|output| output.init).collect();
        for ((to, from), _) in
            carried.iter_mut().zip(&batch.carried).zip(&shader.outputs).filter(|(_, output)| output.carried)
        {
            *to = *from;
        }
        let fetches = Vec::new();
        let mut addresses: Vec<*mut u8> = Vec::with_capacity(self.lists.len());
        workspace.tails.clear();
        workspace.tails.resize(self.lists.len(), [[0; 4]; 16]);
        for i in 0..batch.count {
            let mut inputs = given.iter();
            for (list, scratch) in self.lists.iter().zip(&mut workspace.tails) {
                match *list {
                    List::Input(_) => {
                        let value = inputs.next().and_then(|(_, values)| values.get(i)).copied();
                        scratch.fill(value.unwrap_or([0; 4]));
                    }
                    List::Carried(at) => scratch.fill(carried.get(at).copied().unwrap_or([0; 4])),
                    _ => {}
                }
            }
            addresses.clear();
            let killed = workspace.killed.as_mut_ptr();
            addresses.extend(self.lists.iter().zip(&mut workspace.tails).map(
                |(list, scratch)| match *list {
                    List::Param(at) => {
                        params.get_mut(at).map_or(std::ptr::null_mut(), |all| all.as_mut_ptr().cast())
                    }
                    List::Killed => killed.cast(),
                    _ => scratch.as_mut_ptr().cast::<u8>(),
                },
            ));
            let bytes = self.isa.lanes() * 16;
            // SAFETY: there are 16 elements of each list, a word for the killed, and parameters as the shader says.
            let tired = unsafe {
                self.blocks(&mut workspace.memory, &addresses, bytes, batch, &fetches, &mut params)
            };
            if !tired.is_empty() {
                return Ok(false);
            }
            let Workspace { outputs, tails, killed, .. } = workspace;
            for (at, (cell, output)) in outputs.cells.iter_mut().zip(&shader.outputs).enumerate() {
                let written =
                    self.lists.iter().zip(tails.iter()).find(|(list, _)| **list == List::Output(at));
                let left = match written {
                    Some((_, scratch)) => scratch[0],
                    None if output.carried => carried[at],
                    None => output.init,
                };
                carried[at] = left;
                if let Some(cell) = cell.get_mut(i) {
                    *cell = left;
                }
            }
            let killed =
                self.lists.contains(&List::Killed) && killed.first().is_some_and(|bits| bits & 1 != 0);
            if let Some(end) = outputs.killed.get_mut(i) {
                *end = killed;
            }
        }
        params.iter_mut().for_each(|all| all.truncate(all.len() - 1));
        workspace.outputs.exhausted.fill(false);
        workspace.outputs.params = params;
        workspace.outputs.carried = carried;
        Ok(true)
    }
}
