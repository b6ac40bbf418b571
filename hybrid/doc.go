// Package hybrid will hold work partitioning over several joiners, CPU and
// GPU together: HEGJOIN, HYBRIDKNN-JOIN, several GPUs.
package hybrid
