#!/usr/bin/env bash
# Slurm's own qsub, by which scripts for TORQUE and PBS go on working on Slurm, starts 36 tasks for two servers with
# eight and one with four, asks for 2081 servers where a property begins with 2080, and for four times the memory.
#
# Seen with slurm-wlm-torque 22.05.8-4+deb12u3 of Debian 12, by the sbatch line that its --sbatchline prints:
# - It adds up all ppn and multiplies by all servers. nodes=2:ppn=8+1:ppn=4 is 20 tasks and becomes (8+4)*3. For
#   gpu01:ppn=4+gpu02:ppn=8 it is 24 and not 12. Of GPUs the sum is asked for on each server: 2:gpus=4+1:gpus=2 is 6 on
#   each of three, which servers with four do not have. With one kind of server all are right.
# - What begins with a digit is a number of servers, wherever it stands: 1:2080ti:gpus=4 is -N2081. Other properties are
#   taken for names of servers. Of the example in TORQUE's documentation, nodes=2:blue:ppn=2+red:ppn=3+b1014, which is
#   two blue servers, a red one and b1014, it makes 15 tasks on three servers, two of which are called blue and red.
# - mem is what the job has in TORQUE, and sbatch's --mem is "per node": 64gb on four servers are 256. On the other hand
#   h_vmem of Grid Engine is for each slot, and 4G for eight slots are 4G. An amount in bytes, such as 8589934592b, is
#   dropped, and so are pmem, PBS's ngpus, and all but one part of a select: such jobs have no GPU, or one server.
# - pcput is in seconds, and becomes sbatch's minutes: an hour is sixty hours. cput and walltime are converted.
# - -p 100, which is more urgent, becomes --nice=100, which is less.
# Its manual says that it "is aimed to be feature-compatible with PBS' qsub". Nothing is said of what is dropped, and
# the job is submitted.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
version=22.05.8-4+deb12u3
apt-get download slurm-wlm-torque=$version libslurm-perl=$version libslurm38=$version > /dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
printf '%s\n' ClusterName=here SlurmctldHost=localhost AuthType=auth/none > slurm.conf
export SLURM_CONF=$place/slurm.conf PERL5LIB LD_LIBRARY_PATH
PERL5LIB=$(dirname "$(find "$place" -name Slurm.pm)")
LD_LIBRARY_PATH=$(dirname "$(find "$place" -name libslurm.so.38)")
ask() {
    echo "qsub $*: $(perl usr/bin/qsub --sbatchline -e e -o o "$@" job.sh | sed 's,^.*/sbatch -e e -o o,sbatch,')"
}
{
    dpkg-deb -f slurm-wlm-torque_*.deb Package Version
    for nodes in 2:ppn=8 2:ppn=8+1:ppn=4 gpu01:ppn=4+gpu02:ppn=8 2:gpus=4+1:gpus=2 1:2080ti:gpus=4 \
        2:blue:ppn=2+red:ppn=3+b1014 4:ppn=8,mem=64gb 4:ppn=8,pmem=2gb; do
        ask -l nodes=$nodes
    done
    for list in mem=8589934592 mem=8589934592b select=2:ncpus=32:ngpus=8 select=1:ncpus=4+2:ncpus=8 walltime=3600 \
        cput=3600 pcput=3600; do
        ask -l $list
    done
    ask -pe shm 8 -l h_vmem=4G
    ask -p 100
} | tee seen
diff - seen <<'SEEN'
Package: slurm-wlm-torque
Version: 22.05.8-4+deb12u3
qsub -l nodes=2:ppn=8: sbatch -N2 -n16 job.sh
qsub -l nodes=2:ppn=8+1:ppn=4: sbatch -N3 -n36 job.sh
qsub -l nodes=gpu01:ppn=4+gpu02:ppn=8: sbatch -N2 -n24 -wgpu[01-02] job.sh
qsub -l nodes=2:gpus=4+1:gpus=2: sbatch -N3 --gpus-per-node=6 job.sh
qsub -l nodes=1:2080ti:gpus=4: sbatch -N2081 --gpus-per-node=4 job.sh
qsub -l nodes=2:blue:ppn=2+red:ppn=3+b1014: sbatch -N3 -n15 -wblue,red,b1014 job.sh
qsub -l nodes=4:ppn=8,mem=64gb: sbatch -N4 -n32 --mem=65536M job.sh
qsub -l nodes=4:ppn=8,pmem=2gb: sbatch -N4 -n32 job.sh
qsub -l mem=8589934592: sbatch --mem=8192M job.sh
qsub -l mem=8589934592b: sbatch job.sh
qsub -l select=2:ncpus=32:ngpus=8: sbatch -N2 --mincpus=32 job.sh
qsub -l select=1:ncpus=4+2:ncpus=8: sbatch -N1 --mincpus=8 job.sh
qsub -l walltime=3600: sbatch -t60 job.sh
qsub -l cput=3600: sbatch -t60 job.sh
qsub -l pcput=3600: sbatch -t3600 job.sh
qsub -pe shm 8 -l h_vmem=4G: sbatch --mem=4G --cpus-per-task=8 job.sh
qsub -p 100: sbatch --nice=100 job.sh
SEEN
