(;FF[4]AP[Trivalent:0.1.0]GM[11]SZ[5]AB[c4];B[b1])
